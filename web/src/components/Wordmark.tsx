/** The name of the product, as a link to the start of the page. */
export function Wordmark({ href }: { href: string }) {
  return (
    <a className="wordmark" href={href}>
      <img src="/favicon.svg" alt="" width="28" height="28" />
      Hadir
    </a>
  );
}
