import { shareTestService } from '../support/shared-service.ts'
import { testForeignIds } from './foreign-id-walk.ts'

const service = await shareTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
testForeignIds(service)
