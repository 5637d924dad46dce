import { serviceStatuses } from '../../domain/packages/service-status.ts'
import { NamedChoice } from './named.ts'

export const ServiceStatusName = NamedChoice(
  'ServiceStatus',
  serviceStatuses,
  'How far the supply of a service has come: `pending` until the operator reports something. Once the contract of the customer is over, `ended` or, if supply had not begun, `withdrawn`. New statuses may be added.',
)
