import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "../styles/tokens.css";
import "../styles/base.css";
import "./room.css";
import { loadSite } from "../components/site";
import { App } from "./App";

const { socketPath } = await loadSite();

createRoot(document.getElementById("page") as HTMLElement).render(
  <StrictMode>
    <App socketPath={socketPath ?? undefined} />
  </StrictMode>,
);
