import assert from 'node:assert/strict'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { after, mock, test } from 'node:test'
import { openDataFolder, requireDataFolder } from '../../../src/platform/config/data-folder.ts'

// As a network file system does whose server is gone.
mock.method(fs, 'stat', () => new Promise(() => undefined))
syncBuiltinESMExports()
after(() => {
  mock.restoreAll()
  syncBuiltinESMExports()
})

test('a DATA_DIR whose file system does not respond is given up after five seconds, by the service and by commands', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  for (const open of [openDataFolder, requireDataFolder]) {
    let hasEnded = false
    const opened = assert
      .rejects(open('/srv/data'), {
        name: 'CommandError',
        message:
          'DATA_DIR cannot be used: /srv/data: the file system did not respond within 5 seconds. Set DATA_DIR to a folder that this user can write to.',
      })
      .finally(() => {
        hasEnded = true
      })
    t.mock.timers.tick(4_999)
    await new Promise(setImmediate)
    assert.equal(hasEnded, false)
    t.mock.timers.tick(1)
    await opened
  }
})
