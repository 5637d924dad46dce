import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { contrast } from './contrast.ts'

const css = readFileSync(new URL('./assets/tokens.css', import.meta.url), 'utf8')
const [light = {}, dark = {}] = [...css.matchAll(/:root \{([^}]*)\}/g)].map(
  ([, rule = '']) =>
    Object.fromEntries([...rule.matchAll(/--([\w-]+): ([^;]+);/g)].map(([, name, value]) => [name, value])) as Record<
      string,
      string
    >,
)

/** What stands on what, and how different the two are at least (WCAG 2.2, 1.4.3 and 1.4.11). */
const pairs = [
  ...['ink', 'quiet', 'brand', 'bad', 'good'].flatMap((text) => [
    [text, 'paper', 4.5] as const,
    [text, 'wash', 4.5] as const,
  ]),
  ['brand-ink', 'brand', 4.5],
  ['ring', 'paper', 3],
  ['ring', 'wash', 3],
] as const

test('text has a contrast of 4.5:1 at least and the ring of the focus one of 3:1, in light and in dark colours', () => {
  for (const [scheme, tokens] of [
    ['light', light],
    ['dark', { ...light, ...dark }],
  ] as const)
    for (const [one, other, least] of pairs) {
      const found = contrast(tokens[one] ?? '', tokens[other] ?? '')
      assert.ok(found >= least, `${scheme}: --${one} on --${other} has ${found.toFixed(2)}:1`)
    }
})
