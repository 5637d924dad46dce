import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { repeatedMember } from './repeated-member.ts'

test('the pointer names the first member that is repeated in its object, at any depth', () => {
  for (const [text, pointer] of [
    ['{"a":1,"a":1}', '/a'],
    ['{"a":{"b":[{},{"c":1,"d":2,"c":3}]}}', '/a/b/1/c'],
    ['[[1,"x",[2]],{"a":1,"\\u0061":2}]', '/1/a'],
    ['{"__proto__":1,"__proto__":2}', '/__proto__'],
    ['{"a/b~c" : 1, "a/b~c" \n:2}', '/a~1b~0c'],
    ['{"":1,"":2}', '/'],
    ['{"a":{"x":1,"x":2},"b":1,"b":1}', '/a/x'],
    ['{"\\\\":1,"\\\\":2}', '/\\'],
    ['{"\\"":1,"\\"":2}', '/"'],
  ] as const)
    assert.equal(repeatedMember(text), pointer, text)
})

test('the same name in different objects, in a text or in another letter case is not repeated', () => {
  for (const text of [
    '{"a":{"a":{"a":1}},"b":["a","a",{"a":1},{"a":2}]}',
    '{"a":"\\"a\\":1,{","A":"a"}',
    '"a"',
    '1',
    '[]',
  ])
    assert.equal(repeatedMember(text), undefined, text)
})

test('whatever JSON.stringify writes has no repeated member, and repeating any member of an object is found', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), fc.jsonValue(), (value, name, again) => {
      assert.equal(repeatedMember(JSON.stringify(value)), undefined)
      const member = `${JSON.stringify(name)}:${JSON.stringify(value)}`
      const twice = `[${JSON.stringify(value)},{${member} ,"other\\"":${JSON.stringify(again)},${member}}]`
      assert.equal(repeatedMember(twice), `/1/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    }),
  )
})
