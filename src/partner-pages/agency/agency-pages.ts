import type { NoticeWords } from '../../pages/notices.ts'
import type { AgencyPage } from './agency-visit.ts'
import { householdPage, householdStepPage, tenantStepPage } from './household.page.ts'
import { householdNotices } from './household-steps.ts'
import { householdsPage } from './households.page.ts'

/** The pages on which an agency's people work, in the order of the menu. */
export const agencyPages: readonly AgencyPage[] = [householdsPage, householdPage, householdStepPage, tenantStepPage]

/** What the pages tell has happened, and the errors that they can cause. */
export const agencyNotices: NoticeWords = { ...householdNotices }
