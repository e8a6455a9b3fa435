import { findProgram } from './findProgram.ts'

const BROWSERS = {
  chromium: { names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'], aptPackage: 'chromium' },
  firefox: { names: ['firefox-esr', 'firefox'], aptPackage: 'firefox-esr' },
} as const

/** As `findProgram`. */
export function findBrowser(browser: keyof typeof BROWSERS): string | null {
  return findProgram(BROWSERS[browser])
}
