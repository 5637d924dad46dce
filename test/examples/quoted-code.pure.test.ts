import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

const root = new URL('../../', import.meta.url)

test('the code that docs/connect-a-crm.md quotes is in the files of the example', async () => {
  const guide = await readFile(new URL('docs/connect-a-crm.md', root), 'utf8')
  const quotes = [...guide.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```$/gms)]
  assert.equal(quotes.length, guide.match(/^```ts$/gm)?.length)
  assert.ok(quotes.length > 0)
  for (const [, file = '', code = ''] of quotes) {
    const source = await readFile(new URL(`examples/crm-connector/${file}`, root), 'utf8')
    assert.ok(source.includes(code), `${file} has not: ${code}`)
  }
})
