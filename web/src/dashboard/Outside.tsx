import { type ReactNode, useEffect } from "react";
import { Wordmark } from "../components/Wordmark";

/** What is shown to whom the server does not answer yet. */
export function Outside({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = "Dashboard · Hadir";
  }, []);
  return (
    <div className="entrance">
      <header>
        <Wordmark />
      </header>
      <main className="card">
        <h1>{title}</h1>
        {children}
      </main>
    </div>
  );
}
