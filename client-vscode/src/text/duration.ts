import { t } from "@vscode/l10n";

/** Seconds as a clock shows them: `03:12`, from one hour on `1:03:12`. */
export function clockTime(seconds: number): string {
  const { hours, minutes, rest } = split(seconds);
  const tail = `${pad(minutes)}:${pad(rest)}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}

/** Seconds as a screen reader should say them: `3 minutes 12 seconds`. */
export function spokenTime(seconds: number): string {
  const { hours, minutes, rest } = split(seconds);
  const parts = [
    hours === 1 ? t("1 hour") : hours > 0 && t("{0} hours", hours),
    minutes === 1 ? t("1 minute") : minutes > 0 && t("{0} minutes", minutes),
    rest === 1 ? t("1 second") : rest > 0 && t("{0} seconds", rest),
  ].filter(Boolean);
  return parts.join(" ") || t("{0} seconds", 0);
}

function split(seconds: number): { hours: number; minutes: number; rest: number } {
  const whole = Math.max(0, Math.floor(seconds));
  return { hours: Math.floor(whole / 3600), minutes: Math.floor(whole / 60) % 60, rest: whole % 60 };
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
