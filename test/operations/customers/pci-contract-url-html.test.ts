import { shareTestService } from '../../support/shared-service.ts'
import { checkContractUrl } from './contract-url-checks.ts'

const service = await shareTestService()

// One hour by default.
checkContractUrl(service, 'html', 3_600)
