/** The languages of the texts that the client and the server show. */
export type Language = "en" | "id";

/** @internal */
const en = {
  presenceLost: () => "You are not in the chatroom",
  timeout: (event: string, seconds: number) => `No answer to ${event} within ${seconds} s.`,
  unreadable: () => "Unreadable answer: the server does not seem to be Hadir.",
  unreadableList: () => "The server sent an unreadable list.",
  notHadir: () => "No answer to two joins: this does not seem to be a Hadir socket, but one of another server.",
  noToken: (reason: string) => `The app's token function failed: ${reason}`,
  lateToken: (seconds: number) => `no token within ${seconds} s`,
  missingToken: () => "it returned no token",
};

/** @internal */
const id: typeof en = {
  presenceLost: () => "Anda tidak berada di ruang obrolan",
  timeout: (event, seconds) => `Tidak ada jawaban untuk ${event} dalam ${seconds} detik.`,
  unreadable: () => "Jawaban tidak terbaca: server ini tampaknya bukan Hadir.",
  unreadableList: () => "Server mengirim daftar yang tidak terbaca.",
  notHadir: () => "Dua permintaan bergabung tidak dijawab: ini tampaknya bukan soket Hadir, melainkan soket server lain.",
  noToken: (reason) => `Fungsi token aplikasi gagal: ${reason}`,
  lateToken: (seconds) => `tidak ada token dalam ${seconds} detik`,
  missingToken: () => "tidak mengembalikan token",
};

/** @internal */
export type Texts = typeof en;

/** The client's own texts. @internal */
export const texts: Readonly<Record<Language, Texts>> = { en, id };
