/** Notices that nothing has happened for a while, and that something happens again. */
export class InactivityTimer {
  private readonly afterMs: number;
  private readonly onChange: (inactive: boolean, seconds: number) => void;
  private last: number;
  private timer: NodeJS.Timeout | undefined;
  private isInactive = false;

  /**
   * @param afterMs Time without activity after which it counts as inactivity.
   * @param onChange Called with whether inactivity begins or ends, and the seconds since the activity before.
   */
  constructor(afterMs: number, onChange: (inactive: boolean, seconds: number) => void) {
    this.afterMs = afterMs;
    this.onChange = onChange;
    this.last = performance.now();
    this.schedule(afterMs);
  }

  /** Something happened. */
  activity(): void {
    const elapsed = performance.now() - this.last;
    this.last = performance.now();
    if (!this.isInactive) return;
    this.isInactive = false;
    this.onChange(false, elapsed / 1000);
    this.schedule(this.afterMs);
  }

  dispose(): void {
    clearTimeout(this.timer);
  }

  private schedule(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), ms);
  }

  /** A timer restarted at each key would cost more than a check now and then. */
  private check(): void {
    const elapsed = performance.now() - this.last;
    if (elapsed < this.afterMs) {
      this.schedule(this.afterMs - elapsed);
      return;
    }
    this.isInactive = true;
    this.onChange(true, elapsed / 1000);
  }
}
