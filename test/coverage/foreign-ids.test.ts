import { after } from 'node:test'
import { startTestService } from '../support/service.ts'
import { testForeignIds } from './foreign-id-walk.ts'

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
after(() => service.stop())
testForeignIds(service)
