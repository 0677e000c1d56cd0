/** A socket id. If it does not fit in a line, it breaks after the id of the node that it starts with. */
export function SocketId({ id }: { id: string }) {
  const end = id.indexOf(".") + 1;
  return (
    <code className="socket-id">
      <span>{id.slice(0, end)}</span>
      <wbr />
      <span>{id.slice(end)}</span>
    </code>
  );
}
