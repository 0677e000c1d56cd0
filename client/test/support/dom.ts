import { JSDOM } from "jsdom";

/** Gives the test file those globals of a page that the package and React use; all other globals stay Node's. */
const { window } = new JSDOM("", { url: "http://127.0.0.1/" });
const page = {
  window,
  document: window.document,
  navigator: window.navigator,
  sessionStorage: window.sessionStorage,
  addEventListener: window.addEventListener.bind(window),
  removeEventListener: window.removeEventListener.bind(window),
};
// jsdom reports no focus unless an element has it.
Object.defineProperty(window.document, "hasFocus", { value: () => true, configurable: true });
for (const [name, value] of Object.entries(page)) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
