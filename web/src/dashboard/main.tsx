import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "../styles/tokens.css";
import "../styles/base.css";
import "uplot/dist/uPlot.min.css";
import "./dashboard.css";
import "./charts.css";
import "./feed.css";
import "./room.css";
import { App } from "./App";

createRoot(document.getElementById("page") as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
