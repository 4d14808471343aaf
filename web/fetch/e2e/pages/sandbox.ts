// The page between host and app: puts the app into a frame of its own and hands on every message as it
// is, with its ports.
const mode = new URL(location.href).searchParams.get("mount") ?? "write";
const inner = document.createElement("iframe");
if (mode === "opaque") inner.setAttribute("sandbox", "allow-scripts");
else inner.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
inner.style.cssText = "width:100%;height:100%;border:0";
document.body.append(inner);

function mount(html: string): void {
  if (mode === "write") {
    inner.contentDocument!.open();
    inner.contentDocument!.write(html);
    inner.contentDocument!.close();
  } else if (mode === "blob" || mode === "opaque") {
    inner.src = URL.createObjectURL(new Blob([html], { type: "text/html;charset=utf-8" }));
  } else if (mode === "data") {
    inner.src = `data:text/html;charset=utf-8,${encodeURIComponent(html)}`;
  } else {
    inner.srcdoc = html;
  }
}

window.addEventListener("message", ({ source, data, ports }: MessageEvent) => {
  if (source === window.parent) {
    const { method, params } = (data ?? {}) as { method?: string; params?: { html: string } };
    if (method === "ui/notifications/sandbox-resource-ready") return mount(params!.html);
    inner.contentWindow?.postMessage(data, "*", [...ports]);
  } else if (source === inner.contentWindow) {
    window.parent.postMessage(data, "*", [...ports]);
  }
});
window.parent.postMessage(
  { jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} },
  "*",
);
