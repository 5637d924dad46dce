import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allPaths, readSource } from './tree.ts'

const asvsPath = 'docs/security/asvs-5-level-2.md'
const asvs = readSource(asvsPath).text
const pages = allPaths.filter((path) => path === 'SECURITY.md' || path.startsWith('docs/security/')).map(readSource)

const answers = ['holds', 'by design', 'does not hold', 'does not apply'] as const

/**
 * How many requirements each section of ASVS 5.0.0 has at levels 1 and 2. They are numbered from 1; those of level 3 come last in each
 * section.
 */
const sections: Readonly<Record<string, readonly (readonly [section: number, requirements: number])[]>> = {
  1: numbered(2, 9, 11, 3, 2),
  2: numbered(3, 3, 4, 1),
  3: [...numbered(0, 2, 4, 6, 5), [7, 2]],
  4: numbered(3, 1, 2, 4),
  5: numbered(1, 3, 2, 3),
  6: [...numbered(3, 12, 4, 4, 5, 3), [8, 4]],
  7: numbered(3, 4, 2, 5, 2, 2),
  8: numbered(2, 3, 1, 1),
  9: numbered(3, 4),
  10: numbered(2, 2, 4, 11, 5, 2, 3),
  11: numbered(2, 3, 3, 4, 1, 1),
  12: numbered(3, 2, 4),
  13: numbered(1, 5, 2, 5),
  14: numbered(2, 4, 3),
  15: numbered(3, 3, 7),
  16: numbered(1, 5, 4, 3, 3),
  17: numbered(1, 4, 2),
}

function numbered(...counts: readonly number[]): [number, number][] {
  return counts.map((count, index) => [index + 1, count])
}

const required = Object.entries(sections).flatMap(([chapter, counts]) =>
  counts.flatMap(([section, count]) =>
    Array.from({ length: count }, (_, index) => `${chapter}.${section}.${index + 1}`),
  ),
)

interface Line {
  ids: readonly string[]
  answer: string
  reason: string
}

/** `1.2.3, 1.3.1–1.3.3` as single ids. */
function idsIn(cell: string): string[] {
  return cell.split(', ').flatMap((part) => {
    const [first = '', last = first] = part.split('–')
    const section = first.slice(0, first.lastIndexOf('.'))
    const numberOf = (id: string) => Number(id.slice(id.lastIndexOf('.') + 1))
    return Array.from(
      { length: numberOf(last) - numberOf(first) + 1 },
      (_, index) => `${section}.${numberOf(first) + index}`,
    )
  })
}

const lines: readonly Line[] = [...asvs.matchAll(/^\| (\d+\.\d+\.[\d., –]+) \| [^|]+ \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, cell = '', answer = '', reason = '']) => ({ ids: idsIn(cell), answer, reason }),
)

const testsIn = (text: string): string[] => [...text.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, path = '']) => path)

test('every test that SECURITY.md and docs/security/ name exists', () => {
  const missing = pages.flatMap(({ path, text }) =>
    testsIn(text)
      .filter((named) => !allPaths.includes(named))
      .map((named) => `${path}: ${named}`),
  )
  assert.deepEqual(missing, [])
  assert.ok(pages.length >= 2)
})

test('the ASVS table answers each of the 253 requirements of levels 1 and 2 exactly once', () => {
  const answered = lines.flatMap(({ ids }) => ids)
  assert.equal(required.length, 253)
  assert.deepEqual(
    required.filter((id) => !answered.includes(id)),
    [],
    'not answered',
  )
  assert.deepEqual(
    answered.filter((id, index) => !required.includes(id) || answered.indexOf(id) !== index),
    [],
    'unknown or answered twice',
  )
})

test('an answer is one of four, and a requirement holds only if a test proves it', () => {
  assert.deepEqual(
    lines.filter(({ answer }) => !answers.some((known) => known === answer)),
    [],
  )
  assert.deepEqual(
    lines.filter(({ answer, reason }) => answer === 'holds' && testsIn(reason).length === 0),
    [],
  )
})

test('the counts in the summary are those of the table', () => {
  const countsOf = (isCounted: (id: string) => boolean) =>
    answers.map((answer) => lines.flatMap((line) => (line.answer === answer ? line.ids.filter(isCounted) : [])).length)
  const row = (name: string, counts: readonly number[]) =>
    `| ${name} | ${counts.join(' | ')} | ${counts.reduce((sum, count) => sum + count, 0)} |`
  const expected = [
    ...Object.keys(sections).map((chapter) =>
      row(
        `V${chapter}`,
        countsOf((id) => id.startsWith(`${chapter}.`)),
      ),
    ),
    row(
      'all',
      countsOf(() => true),
    ),
  ]
  const stated = [...asvs.matchAll(/^\| (?:V\d+|all) \|.*$/gm)].map(([text]) => text)
  assert.deepEqual(stated, expected)
})

test('the API Top 10 has a section with its wall, tests and gaps for each risk, and its summary counts them', () => {
  const { text } = readSource('docs/security/owasp-api-top-10.md')
  const risks = Array.from({ length: 10 }, (_, index) => `API${index + 1}`)
  const parts = text.split(/^## /m).filter((part) => part.startsWith('API'))
  assert.deepEqual(
    parts.map((part) => part.split(' ', 1)[0]),
    risks,
  )
  for (const part of parts) {
    for (const label of ['Here', 'The wall', 'Tests', 'What does not hold'])
      assert.ok(part.includes(`**${label}**: `), part)
    assert.ok(testsIn(part).length > 0, part)
  }
  const summary = [...text.matchAll(/^\| \[(API\d+) .*?\| (holds|gaps) \|/gm)].map(([, risk, answer]) => ({
    risk,
    answer,
  }))
  assert.deepEqual(
    summary.map(({ risk }) => risk),
    risks,
  )
  const count = (wanted: string) => summary.filter(({ answer }) => answer === wanted).length
  const stated = /^(\d+) risks? closed, (\d+) with gaps/m.exec(text)
  assert.deepEqual([Number(stated?.[1]), Number(stated?.[2])], [count('holds'), count('gaps')])
})
