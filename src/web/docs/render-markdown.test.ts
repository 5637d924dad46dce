import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkdown } from './render-markdown.ts'

const render = (markdown: string, pages: Record<string, string> = {}) =>
  renderMarkdown(markdown, { findPage: (code) => pages[code], titles: new Map([['sandbox.md', 'The <sandbox>']]) })
    .markup

test('HTML in a guide is shown as text, whether as a block, inline, in code or in a heading', () => {
  const markup = render(
    '# A <b>title</b>\n\n<script>alert(1)</script>\n\nin <img src=x onerror=y> line, `<i>`\n\n```html\n<u>\n```\n\n## <a id="x">s</a>\n',
  )
  assert.doesNotMatch(markup, /<(script|img|i|u|b|a id)\b/)
  for (const shown of [
    '&lt;script&gt;alert(1)',
    '&lt;img src=x onerror=y&gt;',
    '<code>&lt;i&gt;</code>',
    '&lt;<span class="hljs-name">u</span>&gt;',
  ])
    assert.ok(markup.includes(shown), shown)
})

test('a link in a guide leads to a served page, or becomes plain text if there is none', () => {
  for (const [target, href] of [
    ['webhooks.md', '/docs/guides/webhooks'],
    ['webhooks.md#a-new-secret', '/docs/guides/webhooks#a-new-secret'],
    ['generated/errors.md#quote_expired', '/docs/errors/quote_expired'],
    ['generated/errors.md', '/docs/errors'],
    ['../openapi/partner-api.json', '/openapi.json'],
    ['#part', '#part'],
    ['configuration.md#part', '/docs/guides/configuration#part'],
    ['operator/api.md', '/docs/guides/operator/api'],
    ['/docs/reference', '/docs/reference'],
    ['https://example.com/a?b=1&c', 'https://example.com/a?b=1&amp;c'],
  ] as const)
    assert.ok(render(`[words](${target})`).includes(`<a href="${href}">words</a>`), target)
  for (const target of [
    'upstreams/part.md',
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

test('what commands print is marked, unlike the commands, and code has its colours', () => {
  const markup = render('```sh\ncurl <x> "y"\n```\n\n```text\nno <y>\n```\n')
  assert.match(markup, /<code>curl &lt;x&gt; <span class="hljs-string">&quot;y&quot;<\/span><\/code>/)
  assert.ok(markup.includes('<pre class="printed" tabindex="0"><code>no &lt;y&gt;</code></pre>'))
})

test('examples in several languages that follow each other become tabs, and no other', () => {
  const block = (language: string) => `\`\`\`${language}\n1\n\`\`\`\n\n`
  const tabs = (markdown: string) => (render(markdown).match(/class="tabs"/g) ?? []).length
  assert.equal(tabs(`${block('sh')}${block('ts')}${block('python')}${block('text')}`), 1)
  assert.equal(tabs(`${block('sh')}${block('ts')}${block('sh')}${block('ts')}`), 2)
  assert.equal(tabs(`${block('sh')}${block('sh')}${block('json')}${block('ts')}words\n\n${block('python')}`), 0)
})

test('an operation written as code links to its page', () => {
  const markup = render('`GET /Quotes/{id}` and `other`', { 'GET /Quotes/{id}': '/docs/operations/getQuote' })
  assert.ok(markup.includes('<a href="/docs/operations/getQuote"><code>GET /Quotes/{id}</code></a>'))
  assert.ok(markup.includes(' and <code>other</code>'))
})

test('headings have the same ids as on GitHub, even if repeated, a link to themselves, and are listed', () => {
  const { markup, contents } = renderMarkdown('# Title\n\n## 1. Reading, `code` & more\n\n### Same\n\n## Same\n', {
    findPage: () => undefined,
    titles: new Map(),
  })
  for (const id of ['title', '1-reading-code--more', 'same', 'same-1']) assert.ok(markup.includes(`id="${id}"`), id)
  assert.ok(markup.includes('<a class="anchor" href="#same-1" aria-label="Link to Same">'))
  assert.deepEqual(contents, [
    { id: '1-reading-code--more', text: '1. Reading, code & more', depth: 2 },
    { id: 'same', text: 'Same', depth: 3 },
    { id: 'same-1', text: 'Same', depth: 2 },
  ])
})

test('a table in a guide scrolls in a separate box, has header cells, and its cells name their columns', () => {
  const markup = render('| a | `b` |\n|---|---|\n| 1 | 2 |\n')
  assert.match(markup, /<div class="scroll"[^>]*tabindex="0"><table class="cards"><thead><tr><th scope="col">a<\/th>/)
  assert.ok(markup.includes('<td data-label="a">1</td><td data-label="b">2</td>'))
})
