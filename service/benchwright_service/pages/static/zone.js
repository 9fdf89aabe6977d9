"use strict";
// Says in which time zone the reader is, so that the service's pages show times there.

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone) document.cookie = `benchwright_zone=${encodeURIComponent(zone)}; path=/; max-age=31536000; samesite=strict`;
