// What a browser does of itself: it follows redirects and keeps cookies.
//
//   node tests/peers/browser.mjs URL      visits it and prints the page that it comes to
import { pathToFileURL } from 'node:url';

export async function browse(start) {
  const cookies = new Map();
  for (let place = start; ; ) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(place, { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      cookies.set(name, value);
    }
    if (answer.status < 300 || answer.status >= 400) return answer;
    place = new URL(answer.headers.get('location'), place);
  }
}

const isProgram = process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href;
if (isProgram) process.stdout.write(await (await browse(process.argv[2])).text());
