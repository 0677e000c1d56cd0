import { type ReactNode, useEffect } from "react";
import { Wordmark } from "../components/Wordmark";

/** A page with one card, shown instead of the dashboard. */
export function CardPage({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = "Dashboard · Hadir";
  }, []);
  return (
    <div className="entrance">
      <header>
        <Wordmark href={location.pathname} />
      </header>
      <main className="card">
        <h1>{title}</h1>
        {children}
      </main>
    </div>
  );
}
