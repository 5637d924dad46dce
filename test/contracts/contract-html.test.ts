import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFacts, sampleOperator } from './contract-facts.fixture.ts'
import { htmlText } from './html-text.ts'
import { renderHtml } from './rendering.fixture.ts'

const hostile = `<script>alert(1)</script> "quoted" O'Neil & <img src=x onerror=alert(2)>`

test('hostile names and terms appear in the HTML as plain text only', async () => {
  const operator = { ...sampleOperator, terms: { ...sampleOperator.terms, deposit: hostile } }
  const { html } = await renderHtml(contractFacts({ name: hostile, addressLines: [hostile, 'NR4 7TJ'], operator }))
  const page = html.toString('utf8')
  assert.doesNotMatch(page, /<script|<img|onerror=alert\(2\)>/)
  assert.equal(htmlText(html).split(hostile).length - 1 >= 4, true)
})

test('rendering removes invisible characters that reorder or hide text', async () => {
  const { html } = await renderHtml(contractFacts({ name: 'Al\u202eex\u0000 \u200bMor\u00adgan' }))
  assert.ok(html.toString('utf8').includes('Alex Morgan'))
})

test('a quotation mark in an operator address cannot end its link attribute', async () => {
  const email = 'help"onclick="alert(1)@bills.example.com'
  const operator = { ...sampleOperator, trader: { ...sampleOperator.trader, email } }
  const page = (await renderHtml(contractFacts({ operator }))).html.toString('utf8')
  assert.ok(page.includes('href="mailto:help&quot;onclick=&quot;alert(1)@bills.example.com"'))
  assert.doesNotMatch(page, /"\s*onclick="/)
})

test('the HTML loads nothing external and forbids scripts', async () => {
  const page = (await renderHtml(contractFacts())).html.toString('utf8')
  assert.match(page, /<html lang="en-GB">/)
  assert.match(page, /default-src 'none'/)
  assert.doesNotMatch(page, /<script|<link|@import|<iframe|<img/)
  for (const [, address] of page.matchAll(/url\(([^)]{0,40})/g))
    assert.match(address ?? '', /^data:font\/woff2;base64,/)
  for (const [, address] of page.matchAll(/\ssrc="([^"]*)"/g)) assert.fail(`loads ${address}`)
})

test('the first link of the HTML skips to its content', async () => {
  const page = (await renderHtml(contractFacts())).html.toString('utf8')
  assert.match(page, /<body>\n<a class="skip" href="#main">Skip to the content<\/a>/)
  assert.match(page, /<main id="main" tabindex="-1">/)
})

test('the HTML embeds each script of a name once, and no two fonts claim the same character', async () => {
  const ranges = async (name: string) => {
    const page = (await renderHtml(contractFacts({ name }))).html.toString('utf8')
    return [...page.matchAll(/font-weight:400;.*?unicode-range:([^}]*)/g)].map(([, range]) => range?.split(',') ?? [])
  }
  const plain = await ranges('Alex Morgan')
  assert.equal(plain.length, 1)
  // The range published with a subset of the Chinese font has the first syllable, which the font has not.
  const name = 'Żółć Nguyễn Шевченко 김철수 李小龍 Élodie'
  const all = (await ranges(name)).flat()
  assert.equal(new Set(all).size, all.length)
  for (const character of name) assert.ok(all.includes(`U+${character.codePointAt(0)?.toString(16)}`), character)
  // Nothing is embedded for a character that no font has.
  assert.equal((await ranges('𐎀')).length, 1)
})

test('the HTML of the longest document, with every installed script, stays under 400 kB', async () => {
  const name = 'Żółć Nguyễn Κωνσταντίνου ἀρχή Шевченко Ꙋ अनुराधा'
  const { html } = await renderHtml(contractFacts({ name, tenants: 12, months: 24 }))
  assert.ok(html.length < 400_000, `${html.length} bytes`)
  const plain = await renderHtml(contractFacts())
  assert.ok(plain.html.length < 100_000, `${plain.html.length} bytes`)
})

test('the HTML skips no heading levels, and every table has a caption and scoped headers', async () => {
  const { document, html } = await renderHtml(contractFacts())
  const page = html.toString('utf8')
  const levels = [...page.matchAll(/<h([1-6])[ >]/g)].map(([, level]) => Number(level))
  assert.equal(levels[0], 1)
  assert.equal(levels.filter((level) => level === 1).length, 1)
  for (const [index, level] of levels.entries()) assert.ok(level <= (levels[index - 1] ?? 0) + 1)
  const tables = page.split('<table>').length - 1
  assert.equal(page.split('<caption>').length - 1, tables)
  assert.ok(tables >= 6)
  assert.doesNotMatch(page, /<th(?! scope="(?:col|row)"|ead)/)
  for (const { id } of document.sections) {
    assert.ok(page.includes(`<a href="#${id}">`))
    assert.ok(page.includes(`<section id="${id}"`))
  }
})
