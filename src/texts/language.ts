// Which language a person reads: what they asked for, else what their locale says, else English.

export const languages = ["en", "zh"] as const;
export type Language = (typeof languages)[number];

/**
 * @param asked the value of `--lang`; an unknown one is treated as absent here and refused by the door
 * @param environment POSIX order: LC_ALL before LC_MESSAGES before LANG; the first that is set and not empty decides
 */
export function chooseLanguage(asked: string | undefined, environment: Readonly<Record<string, string | undefined>>): Language {
  const named = languages.find((language) => language === asked);
  if (named !== undefined) return named;
  const locale = [environment["LC_ALL"], environment["LC_MESSAGES"], environment["LANG"]].find(
    (value) => value !== undefined && value !== "",
  );
  return locale !== undefined && /^zh(?:$|[_.@-])/iu.test(locale) ? "zh" : "en";
}
