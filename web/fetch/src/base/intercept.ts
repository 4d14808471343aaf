// Which requests go through the gateway: paths with what is below them, by segments.

/** `/api` takes `/api` and `/api/cart`, not `/apix`. Encoded and dotted spellings count as what they mean. */
export function isBelow(pathname: string, paths: readonly string[]): boolean {
  const path = plain(pathname);
  return paths.some((each) => {
    const folder = plain(each).replace(/\/$/, "");
    return path === folder || path.startsWith(`${folder}/`);
  });
}

function plain(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
