// What holds for every tool that has a page.
import assert from 'node:assert/strict';
import { alias, allResources, allTools } from './gateway.mjs';

const kPage = 'text/html;profile=mcp-app';

/** The tool names its page, the page is listed, and can be read as one. */
export async function hasItsPage(session, { server, tool, page }) {
  const { _meta } = (await allTools(session)).find(({ name }) => name === alias(server, tool));
  assert.equal(_meta.ui.resourceUri, page);
  assert.equal(_meta['ui/resourceUri'], page);
  const listed = (await allResources(session)).find(({ uri }) => uri === page);
  assert.equal(listed?.mimeType, kPage);
  const { contents } = await session.client.readResource({ uri: page });
  assert.equal(contents[0].uri, page);
  assert.equal(contents[0].mimeType, kPage);
  assert.match(contents[0].text, /<html/i);
  assert.ok(contents[0].text.length > 10_000);
}
