// Libraries without types of their own; each use states the types it relies on.
declare module "pako" {
  export const Deflate: new (options: object) => object;
  export const Inflate: new (options: object) => object;
}
declare module "whatwg-url" {
  export const URL: { new (url: string, base?: string): object; prototype: object };
  export const URLSearchParams: { new (init?: string): object; prototype: object };
  export function parseURL(url: string): object | null;
}
declare module "sucrase/dist/esm/TokenProcessor.js" {
  const TokenProcessor: new () => object;
  export default TokenProcessor;
}
