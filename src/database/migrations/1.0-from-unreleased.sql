-- What only processes of 0.1.0 needed beside those of 0.2.0.
lock table event in access exclusive mode;
drop trigger event_positioned on event;
drop function position_event();
