export function Wordmark() {
  return (
    <a className="wordmark" href="/">
      <img src="/favicon.svg" alt="" width="28" height="28" />
      Hadir
    </a>
  );
}
