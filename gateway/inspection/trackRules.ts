export { trackRules } from '@vtb/seasons/trackRules.ts';
