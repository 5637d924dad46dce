import assert from 'node:assert/strict'
import { dirname, join, normalize } from 'node:path/posix'
import { test } from 'node:test'
import { createHeadingIdGenerator } from '../../src/http/routes/docs/guides/heading-ids.ts'
import { allPaths, readSource, typeScriptFiles } from './tree.ts'

const documents = allPaths.filter((path) => path.endsWith('.md')).map(readSource)

/** The anchors of a document's headings, on GitHub and under /docs. Code blocks are skipped. */
function anchorsOf(text: string): string[] {
  const idOf = createHeadingIdGenerator()
  const prose = text.replace(/^```[\s\S]*?^```/gm, '')
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => idOf(heading))
}

const anchors = new Map(documents.map(({ path, text }) => [path, anchorsOf(text)]))

const isMissing = ({ document, anchor }: Citation): boolean => !anchors.get(document)?.includes(anchor)

interface Citation {
  document: string
  anchor: string
}

/** Citations in code, such as `docs/webhooks.md#order`, relative to the root. */
function citedIn(text: string): Citation[] {
  return [...text.matchAll(/\b((?:docs\/)[\w/-]+\.md)#([\w-]+)/g)].map(([, document = '', anchor = '']) => ({
    document,
    anchor,
  }))
}

/** Links in a document, such as `[order](webhooks.md#order)`, relative to its folder. */
function linkedIn(path: string, text: string): Citation[] {
  return [...text.matchAll(/\]\(([\w./-]+\.md)#([^)\s]+)\)/g)].map(([, target = '', anchor = '']) => ({
    document: normalize(join(dirname(path), target)),
    anchor,
  }))
}

test('every comment that cites a section of a document names an existing heading', () => {
  const citations = typeScriptFiles.flatMap(({ path, text }) =>
    citedIn(text).map((citation) => ({ path, ...citation })),
  )
  assert.ok(citations.length > 0)
  const checked = citations.filter(({ path }) => path !== 'test/structure/cited-anchors.test.ts')
  assert.deepEqual(checked.filter(isMissing), [])
})

test('every link to a section of another document names an existing heading', () => {
  const links = documents.flatMap(({ path, text }) => linkedIn(path, text).map((link) => ({ path, ...link })))
  assert.ok(links.length > 0)
  assert.deepEqual(links.filter(isMissing), [])
})

test('the search for citations finds missing headings in comments and links', () => {
  const wrong = [
    ...citedIn('see docs/webhooks.md#gone'),
    ...linkedIn('docs/a.md', '[x](webhooks.md#gone) [y](https://example.com/a.md#b)'),
  ]
  assert.deepEqual(wrong, Array(2).fill({ document: 'docs/webhooks.md', anchor: 'gone' }))
  assert.ok(wrong.every(isMissing))
  assert.ok(!isMissing({ document: 'docs/webhooks.md', anchor: 'order' }))
})

test('the document about API behaviour names no source file and no server setting', () => {
  const { text } = readSource('docs/api-behaviour.md')
  assert.deepEqual(text.match(/\bsrc\/[\w/.-]+|`[A-Z]{2,}(?:_[A-Z]+)+`/g) ?? [], [])
})
