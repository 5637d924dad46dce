import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderGuide } from './guides.ts'

const render = (markdown: string, pages: Record<string, string> = {}) =>
  renderGuide(markdown, { findPage: (code) => pages[code], titles: new Map([['sandbox.md', 'The <sandbox>']]) }).markup

test('HTML in a guide is shown as text, whether as a block, inline, in code or in a heading', () => {
  const markup = render(
    '# A <b>title</b>\n\n<script>alert(1)</script>\n\nin <img src=x onerror=y> line, `<i>`\n\n```html\n<u>\n```\n\n## <a id="x">s</a>\n',
  )
  assert.doesNotMatch(markup, /<(script|img|i|u|b|a id)\b/)
  for (const shown of ['&lt;script&gt;alert(1)', '&lt;img src=x onerror=y&gt;', '<code>&lt;i&gt;</code>', '&lt;u&gt;'])
    assert.ok(markup.includes(shown), shown)
})

test('a link in a guide leads to a served page, or becomes plain text if there is none', () => {
  for (const [target, href] of [
    ['webhooks.md', '/docs/guides/webhooks'],
    ['webhooks.md#a-new-secret', '/docs/guides/webhooks#a-new-secret'],
    ['errors.md#quote_expired', '/docs/errors/quote_expired'],
    ['errors.md', '/docs/errors'],
    ['../openapi/partner-api.json', '/openapi.json'],
    ['#part', '#part'],
    ['https://example.com/a?b=1&c', 'https://example.com/a?b=1&amp;c'],
  ] as const)
    assert.ok(render(`[words](${target})`).includes(`<a href="${href}">words</a>`), target)
  for (const target of [
    'configuration.md#part',
    '../SECURITY.md',
    'javascript:alert(1)',
    'data:text/html,x',
    '//example.com',
    '__proto__.md',
  ])
    assert.ok(render(`[words](${target})`).includes('<p>words</p>'), target)
})

test("a link labelled with a guide's file name shows the guide's title", () => {
  assert.ok(render('[sandbox.md](sandbox.md#cards)').includes('>The &lt;sandbox&gt;</a>'))
  assert.ok(render('[sandbox.md, §1](sandbox.md)').includes('>The &lt;sandbox&gt;, §1</a>'))
  assert.ok(render('[webhooks](webhooks.md)').includes('>webhooks</a>'))
})

test('what commands print is marked, unlike the commands', () => {
  const markup = render('```sh\ncurl <x>\n```\n\n```text\nno <y>\n```\n')
  assert.ok(markup.includes('<pre tabindex="0"><code>curl &lt;x&gt;</code></pre>'))
  assert.ok(markup.includes('<pre class="printed" tabindex="0"><code>no &lt;y&gt;</code></pre>'))
})

test('an operation written as code links to its page', () => {
  const markup = render('`GET /Quotes/{id}` and `other`', { 'GET /Quotes/{id}': '/docs/operations/getQuote' })
  assert.ok(markup.includes('<a href="/docs/operations/getQuote"><code>GET /Quotes/{id}</code></a>'))
  assert.ok(markup.includes(' and <code>other</code>'))
})

test('headings have the same ids as on GitHub, even if repeated, and the sections are listed under the title', () => {
  const markup = render('# Title\n\n## 1. Reading, `code` & more\n\n### Same\n\n## Same\n')
  for (const id of ['title', '1-reading-code--more', 'same', 'same-1']) assert.ok(markup.includes(`id="${id}"`), id)
  assert.match(
    markup,
    /<\/h1><nav class="contents" aria-label="On this page"><ul><li><a href="#1-reading-code--more">1\. Reading, code &amp; more<\/a><\/li><li><a href="#same-1">/,
  )
})

test('a table in a guide scrolls in a separate box and has header cells', () => {
  const markup = render('| a | `b` |\n|---|---|\n| 1 | 2 |\n')
  assert.match(markup, /<div class="scroll"[^>]*tabindex="0"><table><thead><tr><th scope="col">a<\/th>/)
  assert.ok(markup.includes('<tbody><tr><td>1</td><td>2</td></tr></tbody>'))
})
