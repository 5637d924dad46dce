import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { selectField } from './fields.ts'
import { html } from './html.ts'
import { copyable, dataTable, filterBar, pagingLinks, reloadLink } from './lists.ts'

const columns = [
  { heading: 'Name', cell: ({ name }: { name: string }) => name },
  { heading: 'Pence', cell: () => html`<b>12</b>`, holds: 'figures' as const },
]

test('a table escapes what its rows hold, and says in words that it is empty', () => {
  const { markup } = dataTable({ caption: 'People', columns, total: ['Total', '12'] }, [{ name: '<Ada>' }])
  assert.match(markup, /<tbody><tr><td>&lt;Ada&gt;<\/td><td class="sum"><b>12<\/b><\/td><\/tr><\/tbody>/)
  assert.match(markup, /<tfoot><tr><th scope="row" colspan="1">Total<\/th>/)
  assert.equal(dataTable({ caption: 'People', columns, empty: 'Nobody yet.' }, []).markup, '<p>Nobody yet.</p>')
})

test('the ways to other pages of a list keep its filter, and are there only where they lead somewhere', () => {
  const links = (query: string, next: string | null) =>
    [...`${pagingLinks({ query: new URLSearchParams(query) }, next)?.markup}`.matchAll(/href="([^"]*)"/g)].map(
      ([, href]) => href,
    )
  assert.equal(pagingLinks({ query: new URLSearchParams('type=a') }, null), null)
  assert.deepEqual(links('type=a&type=b', 'n&1'), ['?type=a&amp;type=b&amp;cursor=n%261'])
  assert.deepEqual(links('type=a&cursor=c', null), ['?type=a'])
})

test('a filter shows what its address says, and only then how to show everything', () => {
  const options = ['', 'failed'].map((value) => ({ value, label: value || 'All' }))
  const bar = (query: string) =>
    filterBar({ query: new URLSearchParams(query) }, (form) =>
      selectField(form, { name: 'status', label: 'Status', options }),
    ).markup
  assert.match(bar('status=failed'), /<option value="failed" selected>.*<a href="\?">/s)
  assert.doesNotMatch(bar(''), /failed" selected|<a/)
})

test('the script of pages has at most 2 KB, and without it what it does can be done by hand', () => {
  assert.ok(readFileSync(new URL('./assets/pages.js', import.meta.url)).length <= 2_048)
  assert.equal(copyable('<s>').markup, '<code data-copy>&lt;s&gt;</code>')
  assert.match(reloadLink().markup, /<a class="reload" href=""/)
})
