import { after } from 'node:test'
import { startTestService } from '../../support/service.ts'
import { checkContractUrl } from './contract-url-checks.ts'

const service = await startTestService()
after(() => service.stop())

// An hour unless configured.
checkContractUrl(service, 'html', 3_600)
