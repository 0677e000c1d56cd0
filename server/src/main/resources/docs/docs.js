"use strict";

/** Shows openapi.json: every call with its parameters and an example, and a form that sends it. */

const TIMEOUT_MS = 40_000;

/** An element with properties and children; strings become text, so nothing in the document is taken as markup. */
function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Text with its `code`. */
const prose = (text) => text.split("`").map((part, i) => (i % 2 === 0 ? part : make("code", { textContent: part })));

function block(value, label) {
  const shown = make("pre", { textContent: typeof value === "string" ? value : JSON.stringify(value, null, 2), tabIndex: 0 });
  shown.setAttribute("role", "region");
  shown.setAttribute("aria-label", label);
  return shown;
}

function operation(api, path, shared, method, described) {
  const resolve = (thing) => (thing.$ref ? thing.$ref.slice(2).split("/").reduce((at, name) => at[name], api) : thing);
  const parameters = [...(shared ?? []), ...(described.parameters ?? [])].map(resolve);
  const body = described.requestBody?.content["application/json"]?.example;
  const [status, good] = Object.entries(described.responses)[0];
  const content = Object.values(resolve(good).content ?? {})[0];
  const others = Object.entries(described.responses).slice(1).map(([code, answer]) => make("li", {}, make("b", {}, code), ` ${resolve(answer).description}`));
  const keys = (described.security ?? api.security).map((one) => Object.keys(one)[0]);
  const key = keys.length === 0 ? "Needs no key." : keys.includes("metricsKey") ? "Any key." : keys.includes("readKey") ? "The read key is enough." : "Needs the key that permits everything.";
  return make(
    "details",
    { id: described.operationId },
    make("summary", {}, make("span", { className: `method ${method}` }, method.toUpperCase()), " ", make("code", {}, path), " ", make("span", { className: "soft" }, described.summary)),
    make("div", { className: "body" },
      described.description ? make("p", {}, prose(described.description)) : null,
      make("p", { className: "soft" }, key),
      form(described.operationId, path, method, parameters, body),
      content?.example === undefined ? null : [make("h3", {}, `Answers ${status}`), block(content.example, `Example of the answer to ${described.operationId}`)],
      others.length === 0 ? null : [make("h3", {}, "Or"), make("ul", {}, others)],
    ),
  );
}

/** A form that sends the call, and shows the answer. */
function form(id, path, method, parameters, body) {
  const fields = parameters.map((parameter) => {
    const name = `${id}-${parameter.name}`;
    const input = make("input", { id: name, name: parameter.name, autocomplete: "off", spellcheck: false, required: parameter.in === "path" });
    input.value = parameter.in === "path" ? (parameter.example ?? "") : "";
    input.placeholder = parameter.schema?.default !== undefined ? String(parameter.schema.default) : (parameter.schema?.enum ?? []).join(" or ");
    return { parameter, input, row: make("div", {}, make("label", { htmlFor: name }, parameter.name), input, make("p", { className: "soft" }, prose(parameter.description ?? ""))) };
  });
  const text = body === undefined ? null : make("textarea", { id: `${id}-body`, rows: 4, spellcheck: false, value: JSON.stringify(body, null, 2) });
  const answer = make("div", { className: "answer" });
  answer.setAttribute("role", "status");
  const send = make("button", {}, method === "get" ? "Send" : `Send ${method.toUpperCase()}`);
  const shown = make("form", {},
    fields.map(({ row }) => row),
    text === null ? null : make("div", {}, make("label", { htmlFor: `${id}-body` }, "Body"), text),
    send, answer);
  shown.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    answer.replaceChildren(...(await call(path, method, fields, text?.value)));
    send.disabled = false;
  });
  return shown;
}

/** Sends a call; what came back, to show. */
async function call(path, method, fields, body) {
  const query = new URLSearchParams();
  let address = path;
  for (const { parameter, input } of fields) {
    if (parameter.in === "path") {
      address = address.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
    } else if (input.value !== "") {
      query.set(parameter.name, input.value);
    }
  }
  const key = document.getElementById("key").value.trim();
  try {
    const response = await fetch(query.size === 0 ? address : `${address}?${query}`, {
      method: method.toUpperCase(),
      headers: { ...(key === "" ? {} : { Authorization: `Bearer ${key}` }), ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      ...(body === undefined ? {} : { body }),
      cache: "no-store",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    let value = text;
    try {
      value = JSON.parse(text);
    } catch {
      // Metrics are text.
    }
    return [make("p", {}, make("b", {}, `${response.status} ${response.statusText}`)), block(value, "Answer")];
  } catch {
    return [make("p", {}, "The server is unreachable, or the key has characters that a header cannot carry.")];
  }
}

async function show() {
  const api = await (await fetch("/openapi.json")).json();
  document.getElementById("about").replaceChildren(...prose(api.info.description));
  const operations = Object.entries(api.paths).flatMap(([path, { parameters, ...methods }]) =>
    Object.entries(methods).map(([method, described]) => ({ tag: described.tags[0], shown: operation(api, path, parameters, method, described) })));
  document.getElementById("api").replaceChildren(...api.tags.map(({ name, description }) =>
    make("section", {}, make("h2", {}, description), operations.filter(({ tag }) => tag === name).map(({ shown }) => shown))));
  const linked = document.getElementById(location.hash.slice(1));
  if (linked instanceof HTMLDetailsElement) {
    linked.open = true;
    linked.scrollIntoView();
  }
}

show().catch(() => document.getElementById("about").replaceChildren("The description could not be loaded. Reload the page to try again."));
