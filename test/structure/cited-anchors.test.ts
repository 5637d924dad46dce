import assert from 'node:assert/strict'
import { dirname, join, normalize } from 'node:path/posix'
import { test } from 'node:test'
import { headingIds } from '../../src/http/routes/docs/guides/heading-ids.ts'
import { allPaths, readSource, typeScript } from './tree.ts'

const documents = allPaths.filter((path) => path.endsWith('.md')).map(readSource)

/** Of a document, the anchors its headings have on GitHub and under /docs. Lines of code blocks are no headings. */
function anchorsOf(text: string): string[] {
  const idOf = headingIds()
  const prose = text.replace(/^```[\s\S]*?^```/gm, '')
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => idOf(heading))
}

const anchors = new Map(documents.map(({ path, text }) => [path, anchorsOf(text)]))

const isMissing = ({ document, anchor }: Citation): boolean => !anchors.get(document)?.includes(anchor)

interface Citation {
  document: string
  anchor: string
}

/** `docs/webhooks.md#order` in code, from the root. */
function citedIn(text: string): Citation[] {
  return [...text.matchAll(/\b((?:docs\/)[\w/-]+\.md)#([\w-]+)/g)].map(([, document = '', anchor = '']) => ({
    document,
    anchor,
  }))
}

/** `[order](webhooks.md#order)` in a document, from its folder. */
function linkedIn(path: string, text: string): Citation[] {
  return [...text.matchAll(/\]\(([\w./-]+\.md)#([^)\s]+)\)/g)].map(([, target = '', anchor = '']) => ({
    document: normalize(join(dirname(path), target)),
    anchor,
  }))
}

test('a comment, when it cites a section of a document, cites a heading that exists', () => {
  const citations = typeScript.flatMap(({ path, text }) => citedIn(text).map((citation) => ({ path, ...citation })))
  assert.ok(citations.length > 0)
  const checked = citations.filter(({ path }) => path !== 'test/structure/cited-anchors.test.ts')
  assert.deepEqual(checked.filter(isMissing), [])
})

test('a link, when it leads to a section of another document, leads to a heading that exists', () => {
  const links = documents.flatMap(({ path, text }) => linkedIn(path, text).map((link) => ({ path, ...link })))
  assert.ok(links.length > 0)
  assert.deepEqual(links.filter(isMissing), [])
})

test('a citation of a heading that does not exist is found, whether in a comment or a link', () => {
  const wrong = [
    ...citedIn('see docs/webhooks.md#gone'),
    ...linkedIn('docs/a.md', '[x](webhooks.md#gone) [y](https://example.com/a.md#b)'),
  ]
  assert.deepEqual(wrong, Array(2).fill({ document: 'docs/webhooks.md', anchor: 'gone' }))
  assert.ok(wrong.every(isMissing))
  assert.ok(!isMissing({ document: 'docs/webhooks.md', anchor: 'order' }))
})

test('the rules for partners, when a maintainer adds to them, name no source file and no server setting', () => {
  const { text } = readSource('docs/api-behaviour.md')
  assert.deepEqual(text.match(/\bsrc\/[\w/.-]+|`[A-Z]{2,}(?:_[A-Z]+)+`/g) ?? [], [])
})
