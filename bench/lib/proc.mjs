// What the kernel knows of a process and of the machine.
import { readFileSync, readdirSync } from "node:fs";

// USER_HZ, which is 100 on every Linux that Node and the JVM run on.
const TICKS_PER_SECOND = 100;

/** Seconds of CPU, user and system, that a process and all its threads have used. */
export function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The same to the nanosecond, for a process whose threads do not come and go. */
export function exactCpuSeconds(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanos = threads.map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1").split(" ", 1)[0]));
  return nanos.reduce((sum, one) => sum + one, 0) / 1e9;
}

/** Seconds of CPU that all processes together have used, the kernel's own and stolen time included. */
export function machineBusySeconds() {
  const [user, nice, system, , , irq, softirq, steal] = readFileSync("/proc/stat", "latin1")
    .split("\n", 1)[0]
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND;
}

/** Resident memory of a process in bytes. */
export function residentBytes(pid) {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"));
  return Number(kilobytes) * 1024;
}
