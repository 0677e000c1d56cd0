import { type ReactNode, useEffect, useRef } from "react";

interface Props {
  className: string;
  /** The ids of what names it and of what describes it. */
  labelledBy: string;
  describedBy: string;
  onClose: () => void;
  /** What is in it; closing it is for its buttons. */
  children: (close: () => void) => ReactNode;
}

/** Asks for an answer before anything else: open for as long as it is shown, and the page behind is closed off. */
export function Dialog({ className, labelledBy, describedBy, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);

  return (
    <dialog ref={dialog} className={className} aria-labelledby={labelledBy} aria-describedby={describedBy} onClose={onClose}>
      {children(() => dialog.current?.close())}
    </dialog>
  );
}
