import { type ReactNode, useEffect, useRef } from "react";

interface Props {
  className: string;
  /** The ids of the elements that name and describe the dialog. */
  labelledBy: string;
  describedBy: string;
  onClose: () => void;
  /** The content; its buttons close the dialog with the given function. */
  children: (close: () => void) => ReactNode;
}

/** A modal dialog, open while it is mounted. */
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
