/** Seconds as a clock shows them: `03:12`, from one hour on `1:03:12`. */
export function clockTime(seconds: number): string {
  const { hours, minutes, rest } = split(seconds);
  const tail = `${pad(minutes)}:${pad(rest)}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}

/** Seconds as a screen reader should say them: `3 minutes 12 seconds`. */
export function spokenTime(seconds: number): string {
  const { hours, minutes, rest } = split(seconds);
  const parts = [counted(hours, "hour"), counted(minutes, "minute"), counted(rest, "second")].filter(Boolean);
  return parts.join(" ") || "0 seconds";
}

function split(seconds: number): { hours: number; minutes: number; rest: number } {
  const whole = Math.max(0, Math.floor(seconds));
  return { hours: Math.floor(whole / 3600), minutes: Math.floor(whole / 60) % 60, rest: whole % 60 };
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}

function counted(value: number, unit: string): string {
  return value === 0 ? "" : `${value} ${unit}${value === 1 ? "" : "s"}`;
}
