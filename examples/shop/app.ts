// The shop in a frame. Everything below start() is written for the web and runs on it unchanged.
import { App } from "@modelcontextprotocol/ext-apps";
import { initMcpFetch } from "@sallyport/fetch";

document.body.innerHTML = `
  <h1>Shop</h1>
  <table id="prices"></table>
  <p id="cart">Your cart is empty.</p>
  <ol id="chat"></ol>
  <form id="say"><input name="text" placeholder="Say something" autocomplete="off"><button>Send</button></form>`;
const at = (id: string): HTMLElement => document.getElementById(id)!;

interface Item {
  name: string;
  count: number;
}

function showCart(items: Item[]): void {
  if (items.length === 0) return;
  at("cart").textContent = `Your cart: ${items.map(({ name, count }) => `${count} × ${name}`).join(", ")}`;
}

async function add(name: string): Promise<void> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch("/api/cart", { method: "POST", headers, body: JSON.stringify({ name }) });
  showCart((await response.json()) as Item[]);
}

function showPrices(prices: Record<string, number>): void {
  const rows = Object.entries(prices).map(([name, cents]) => {
    const row = document.createElement("tr");
    const button = Object.assign(document.createElement("button"), { textContent: "Add", onclick: () => add(name) });
    row.append(cell(name), cell((cents / 100).toFixed(2)), cell(button));
    return row;
  });
  at("prices").replaceChildren(...rows);
}

function cell(content: string | Node): HTMLTableCellElement {
  const td = document.createElement("td");
  td.append(content);
  return td;
}

function say(text: string): void {
  const line = document.createElement("li");
  line.textContent = text;
  at("chat").append(line);
}

async function open(): Promise<void> {
  new EventSource("/api/prices").onmessage = ({ data }) => showPrices(JSON.parse(data as string));
  const chat = new WebSocket("/api/chat");
  chat.onmessage = ({ data }) => say(data as string);
  chat.onerror = (event) => say(`closed: ${(event as { cause?: Error }).cause?.message ?? "no connection"}`);
  at("say").onsubmit = (event) => {
    event.preventDefault();
    const input = at("say").querySelector("input")!;
    chat.send(input.value);
    input.value = "";
  };
  showCart((await (await fetch("/api/cart")).json()) as Item[]);
}

async function start(): Promise<void> {
  if (window.parent !== window) {
    const app = new App({ name: "shop", version: "1.0.0" }, {});
    initMcpFetch(app);
    await app.connect();
  }
  await open();
}

void start();
