import { shareTestService } from '../support/shared-service.ts'
import { testContractUrl } from './contract-url-checks.ts'

const service = await shareTestService()

// Links are valid for 30 days by default.
testContractUrl(service, 'html', 30 * 86_400)
