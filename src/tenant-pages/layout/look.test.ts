import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const css = readFileSync(new URL('../assets/tenant.css', import.meta.url), 'utf8')

/** The relative luminance of a colour (WCAG 2.2). */
function luminance(colour: string): number {
  const hex = colour.length === 4 ? colour.replaceAll(/[^#]/g, '$&$&') : colour
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

test('what has the focus has a ring with a contrast of 3:1 at least, in light and in dark colours (WCAG 2.2, 1.4.11)', () => {
  const rings = [...css.matchAll(/outline: 3px solid var\((--[a-z]+)\)/g)].map(([, name = '']) => name)
  assert.ok(rings.length >= 2)
  const [light = '', dark = ''] = [...css.matchAll(/:root \{[^}]*\}/g)].map(([rule]) => rule)
  for (const rule of [light, dark])
    for (const ring of rings) {
      const [one = 0, other = 0] = [ring, '--paper']
        .map((name) => luminance(new RegExp(`${name}: (#[0-9a-f]+)`).exec(rule)?.[1] ?? ''))
        .sort((a, b) => b - a)
      assert.ok((one + 0.05) / (other + 0.05) >= 3, `${ring} in ${rule}`)
    }
})
