package io.hadir.presence;

import java.util.concurrent.CompletionStage;

/** What is written about single seats, for those who want to know why. */
public interface SeatRecords {
    CompletionStage<SeatRecord> read(Seat seat);
}
