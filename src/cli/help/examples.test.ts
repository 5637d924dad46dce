import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgram } from '../program.ts'
import { commandsByPath, examples } from './examples.ts'

const commands = commandsByPath(createProgram())

test('every command has examples, and every row of examples has a command', () => {
  assert.ok(commands.size > 20, 'the commands were found')
  assert.deepEqual(Object.keys(examples).sort(), [...commands.keys()].sort())
  for (const [path, lines] of Object.entries(examples)) assert.ok(lines.length > 0, path)
})
