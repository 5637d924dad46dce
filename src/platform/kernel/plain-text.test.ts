import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeControls, isName, isPersonName, isSingleLine } from './plain-text.ts'

const esc = String.fromCharCode(27)

test('a name has a visible letter or digit and nothing that changes how it is shown', () => {
  for (const name of ['Łukasz', 'محمد', '李', 'O’Brien-Smith', 'Flat 3', '👩 Anna', '\u200fאבי', 'می\u200cخواهم'])
    assert.ok(isName(name), name)
  const unusable = ['', ' ', '\u200b', '\u3164', '\u2800', '\u0301', '-', 'a\nb', 'a\u2028b', 'a\u2029b', 'a\u0085b']
  for (const name of [
    ...unusable,
    `${esc}[31mred`,
    'a\u009b31m',
    'a\u202eb',
    'a\u2066b',
    'a\ufff9b',
    'a\u00adb',
    'a\u{e0041}b',
  ])
    assert.ok(!isName(name), JSON.stringify(name))
})

test('a person’s name has no address in small or capital letters, and may have a full stop', () => {
  for (const name of ['Mr.Smith', 'St.John', 'J.R.R.Tolkien', 'A. B. Smith']) assert.ok(isPersonName(name), name)
  for (const name of ['evil.com', 'Evil.com', 'GO.EVIL.COM', 'www.Evil', 'x://y', 'a@b', 'evil．com'])
    assert.ok(!isPersonName(name), name)
})

test('a line may consist of signs, but not of invisible characters', () => {
  for (const line of ['-', '£5', 'ref: 12/3']) assert.ok(isSingleLine(line), line)
  for (const line of ['\u200b', '\u2800', '\ufeff', 'x\u202ey', 'x\ry'])
    assert.ok(!isSingleLine(line), JSON.stringify(line))
})

test('escaped text has no control characters, and JSON keeps its meaning', () => {
  assert.equal(escapeControls(`a${esc}[2Jb\u202ec\nd`, '\n'), 'a\\u001b[2Jb\\u202ec\nd')
  const value = { name: 'x\u202ey\u009b' }
  assert.deepEqual(JSON.parse(escapeControls(JSON.stringify(value))), value)
})
