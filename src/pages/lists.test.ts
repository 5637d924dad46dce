import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { barChart } from './chart.ts'
import { selectField } from './fields.ts'
import { html } from './html.ts'
import { copyable, csvOfList, dataTable, filterBar, pagingLinks, reloadLink, tabs, timeline } from './lists.ts'

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

test('a list that is too long for a file leads back to it with a notice, and a file has all its pages and no formula', async () => {
  const rows = (count: number) => Array.from({ length: count }, () => ({ name: '=A1', pence: 12 }))
  const at = (query: string) => ({ query: new URLSearchParams(query), path: (page: string) => `/desk/${page}` })
  const read = async (cursor: string | undefined) => ({ data: rows(2_000), nextCursor: `${Number(cursor ?? 0) + 1}` })
  assert.equal(await csvOfList(at('a=b'), 'people', read, (row) => row), undefined)
  assert.deepEqual(await csvOfList(at('a=b&format=csv'), 'people', read, (row) => row), {
    goTo: '/desk/people?a=b',
    notice: 'csv_too_long',
  })
  const two = async (cursor?: string) => ({ data: rows(1), nextCursor: cursor === undefined ? 'next' : null })
  assert.deepEqual(await csvOfList(at('format=csv'), 'people', two, (row) => row), {
    file: "\uFEFFname,pence\r\n'=A1,12\r\n'=A1,12\r\n",
    type: 'text/csv; charset=utf-8',
    fileName: 'people.csv',
  })
})

test('a chart has a bar for each figure on a scale from zero, in whole and round steps', () => {
  const chart = (...values: number[]) =>
    barChart(
      'Quotes',
      values.map((value) => ({ label: '<1 May>', value })),
    ).markup
  const steps = (markup: string) => [...markup.matchAll(/<text x="0" y="[\d.]+%">([\d,]+)</g)].map(([, text]) => text)
  const heights = (markup: string) => [...markup.matchAll(/height="([\d.]+)%"/g)].map(([, height]) => Number(height))
  assert.deepEqual(steps(chart(0)), ['0', '1'])
  assert.deepEqual(steps(chart(3, 7)), ['0', '2', '4', '6', '8'])
  assert.deepEqual(steps(chart(4_001)), ['0', '1,000', '2,000', '3,000', '4,000', '5,000'])
  assert.deepEqual(heights(chart(0, 2, 4)), [0, 38, 76])
  assert.match(chart(3), /role="img" aria-label="Quotes".*<title>&lt;1 May&gt;: 3<\/title>/s)
})

test('tabs say which is open, and a timeline shows what it is given in its order', () => {
  const parts = [
    ['/a', 'A'],
    ['/b', 'B'],
  ] as const
  assert.match(tabs('Parts', parts, '/b').markup, /href="\/a">A<.*href="\/b" aria-current="page">B</)
  const entries = [
    { at: 'today', what: html`<p>Sent.</p>` },
    { at: '<', what: null },
  ]
  assert.match(timeline(entries).markup, /today<\/p><p>Sent\.<\/p><\/li><li><p class="hint">&lt;<\/p>/)
})

test('the script of pages has at most 2 KB, and without it what it does can be done by hand', () => {
  assert.ok(readFileSync(new URL('./assets/pages.js', import.meta.url)).length <= 2_048)
  assert.equal(copyable('<s>').markup, '<code data-copy>&lt;s&gt;</code>')
  assert.match(reloadLink().markup, /<a class="reload" href=""/)
})
