import { shareTestService } from '../../support/shared-service.ts'
import { checkContractUrl } from './contract-url-checks.ts'

const service = await shareTestService()

// An hour unless configured.
checkContractUrl(service, 'html', 3_600)
