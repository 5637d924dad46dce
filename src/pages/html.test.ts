import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { escapeHtml, html, raw } from './html.ts'

test('text values are escaped in content and in attributes', () => {
  const name = `"><script>alert('&')</script>`
  assert.equal(
    String(html`<a title="${name}">${name}</a>`),
    '<a title="&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;">&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;</a>',
  )
})

test('markup nests without double escaping, lists are joined, and absent values are left out', () => {
  const items = ['a', 'b & c'].map((item) => html`<li>${item}</li>`)
  assert.equal(String(html`<ul>${items}${null}${undefined}${false}${0}</ul>`), '<ul><li>a</li><li>b &amp; c</li>0</ul>')
  assert.equal(String(html`${raw('<hr>')}`), '<hr>')
})

test('an object that only looks like markup is rejected', () => {
  const forged: unknown = JSON.parse('{"markup":"<script>"}')
  assert.throws(() => html`${forged as string}`)
})

test('no text can end an attribute or open an element', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const escaped = escapeHtml(text)
      assert.doesNotMatch(escaped, /[<>"']/)
      const back = escaped
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&')
      assert.equal(back, text)
    }),
  )
})
