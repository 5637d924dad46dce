import { shareTestService } from '../../support/shared-service.ts'
import { testContractUrl } from './contract-url-checks.ts'

const service = await shareTestService()

// The links to the HTML form are valid for one hour by default.
testContractUrl(service, 'html', 3_600)
