import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from './logger.ts'
import { createTerminalLog } from './terminal-log.ts'

test("a log entry on a terminal is one readable line, followed by its error's stack", () => {
  const printed: string[] = []
  const log = createLogger(
    'warn',
    createTerminalLog((text) => printed.push(text)),
  )
  log.warn('the disk is nearly full')
  log.error({ err: new TypeError('no such thing'), webhookId: 'webhook_1' }, 'delivery failed')
  log.info('not at this level')
  assert.equal(printed.length, 2)
  assert.match(printed[0] ?? '', /^\d\d:\d\d:\d\d warn the disk is nearly full\n$/)
  const [first = '', second = ''] = (printed[1] ?? '').split('\n')
  assert.match(
    first,
    /^\S+ error delivery failed \{"webhookId":"webhook_1","type":"TypeError","message":"no such thing"\}$/,
  )
  assert.match(second, /^ +at /)
})
