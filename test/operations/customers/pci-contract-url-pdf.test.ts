import { after } from 'node:test'
import { startTestService } from '../../support/service.ts'
import { checkContractUrl } from './contract-url-checks.ts'

const service = await startTestService({ CONTRACT_URL_TTL_SECONDS: '90' })
after(() => service.stop())

checkContractUrl(service, 'pdf', 90)
