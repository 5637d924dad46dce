import { after } from 'node:test'
import { startTestService } from '../support/service.ts'
import { testContractUrl } from './contract-url-checks.ts'

const service = await startTestService({ CONTRACT_URL_TTL_SECONDS: '90' })
after(() => service.stop())

testContractUrl(service, 'pdf', 90)
