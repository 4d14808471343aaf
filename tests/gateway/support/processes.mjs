// The programs that the gateway has started.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';

const read = (pid, file) => fs.readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');

async function parentOf(pid) {
  const stat = await read(pid, 'stat');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** The id of the child of `parent` that has the variable `mark` ("NAME=value"). */
export async function programBelow(parent, mark) {
  const pids = (await fs.readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  for (const pid of pids) {
    if ((await parentOf(pid)) !== parent) continue;
    if ((await read(pid, 'environ')).split('\0').includes(mark)) return pid;
  }
  assert.fail(`no child of ${parent} has ${mark}`);
}
